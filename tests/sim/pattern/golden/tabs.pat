__shared__ float s[32];
	s[threadIdx.x]	=	q;
