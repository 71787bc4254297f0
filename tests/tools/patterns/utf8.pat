// title: Größe, Ümlaut und “Zeichen”
__shared__ float s[1024];
/* äöü */ float v = s[threadIdx.x * 2]; /* → 2 */ // expect: 4-way
