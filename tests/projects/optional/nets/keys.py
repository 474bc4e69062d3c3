import msvcrt

put = msvcrt.putch
