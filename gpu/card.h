/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * card: the NVIDIA card, as a meter and as facts about itself.
 *
 * Owns the CUDA context, its streams and buffers. It knows no model and no file. Clocks and other
 * settings of the card are read, never set. One thread uses a card at a time.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#ifndef BANKWISE_CARD_H
#define BANKWISE_CARD_H

#include "meter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bw_card bw_card;

typedef struct bw_card_facts {
    char name[256];
    char driver[64];  /* "580.159.04", or the CUDA version it serves where that is not told    */
    char pci[32];     /* "0000:01:00.0"                                                        */
    int cc;           /* compute capability * 10                                               */
    int cuda_driver;  /* newest CUDA that the driver serves: 13000                             */
    int cuda_runtime; /* CUDA this program was built with                                      */
    int sms;
    int shared_block; /* bytes of shared memory, at the most, for a block                      */
    int shared_sm;
    int shared_reserved; /* bytes that the system takes of each block                          */
    int sm_mhz;          /* the highest clock, as the driver tells it; 0 where it does not     */
    int memory_mhz;
    int l2_bytes;
    size_t memory_bytes, memory_free;
    bool ecc, shared_with_display; /* a display's time-out ends long kernels                   */
} bw_card_facts;

typedef enum bw_card_status {
    BW_CARD_OK,
    BW_CARD_NONE,   /* no card, no driver, too old a driver, a card that is taken: exit code 77 */
    BW_CARD_FAILED, /* anything else: exit code 3                                               */
} bw_card_status;

/* Opens card `index`. On anything but BW_CARD_OK, *card is NULL and why[0..size) says what is
 * wrong and what to do, in one line. */
bw_card_status bw_card_open(int index, bw_card **card, char *why, size_t size);
void bw_card_close(bw_card *card); /* accepts NULL */

const bw_card_facts *bw_card_about(const bw_card *card);
/* True if this program has machine code (or intermediate code) with this operation for the card. */
bool bw_card_has(const bw_card *card, bw_op op);
/* The card as a meter; valid as long as the card. */
bw_meter bw_card_meter(bw_card *card);
/* The clock of the SMs under load, in MHz, measured as clock64() against the global timer; 0 where
 * the measurement fails. */
double bw_card_clock(bw_card *card);

#ifdef __cplusplus
}
#endif
#endif
