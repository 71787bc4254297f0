/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The room's table: what the tree may ask of it.
 *
 * Additional permission under GNU GPL version 3 section 7: you may link this file, modified or not,
 * with the NVIDIA CUDA runtime, and convey the result.
 */
#include "cxx.h"

const bw_cxx_hooks bw_cxx_room = {
    .class_line = bw_parse_class_line,
    .static_member = bw_parse_static_member,
    .member_value = bw_parse_member_value,
    .finish_class = bw_finish_class,
    .default_of = bw_default_of,
    .default_object = bw_default_object,
    .construct = bw_construct_object,
    .convert = bw_user_conversion,
    .operator_name = bw_parse_operator_name,
    .apply_operator = bw_user_operator,
    .inner = bw_parse_inner,
    .call_object = bw_parse_object_call,
    .self = bw_parse_this,
    .own_object = bw_own_object,
    .bare_return = bw_bare_return,
    .type_of = bw_parse_decltype,
    .automatic = bw_take_auto,
    .reference = bw_parse_reference,
    .alias = bw_parse_alias,
    .name_space = bw_parse_namespace,
    .range_for = bw_parse_range_for,
    .lambda = bw_parse_lambda,
    .captured = bw_captured,
    .after_parameters = bw_parse_after_parameters,
    .instance_object = bw_declare_instance_object,
    .overload = bw_add_overload,
    .choose = bw_choose_overload,
    .deduce = bw_deduce,
    .fold = bw_fold_call,
    .specialise = bw_parse_specialisation,
    .type_template = bw_parse_type_template,
    .type_instance = bw_instantiate_type,
    .lambda_instance = bw_parse_lambda_instance,
    .memcpy_async = bw_call_memcpy_async,
    .swap = bw_call_swap,
    .limits = bw_parse_limits,
};
