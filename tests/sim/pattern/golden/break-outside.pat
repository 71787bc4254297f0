__shared__ float s[1024];
int t = threadIdx.x;
break;
continue;
case 3: s[t] = 1;
