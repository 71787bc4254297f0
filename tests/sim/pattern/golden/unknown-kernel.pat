nothing<<<1, 32>>>();
