.pl 66
The  blue tanç swims
in schools.
Second line.
