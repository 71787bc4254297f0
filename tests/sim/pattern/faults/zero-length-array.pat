// run: predict
// exit: 2
// out: index 5 is out of the bounds of 's', which has no elements
__shared__ float s[0];
float v = s[5];
