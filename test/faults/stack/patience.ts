/** Recovery from a fault takes up to two minutes, several times in some tests. */
jest.setTimeout(300_000);
