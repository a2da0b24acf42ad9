/** What a fault leaves behind is put right within two minutes at most, several times in some tests. */
jest.setTimeout(300_000);
