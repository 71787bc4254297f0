// größe: Füße, 数
__shared__ float s[32]; /* é */
s[größe] = 1;
printf("ünïcode");
s[q] = 2; // ö
