// Linking it is the test.
int main() { return 0; }
