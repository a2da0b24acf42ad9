/** Lets a run fail in which no test ran, such as one with a `-t` that no title has. */
export default class NoneRan {
  #error;

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, wasInterrupted }) {
    if (numPassedTests + numFailedTests + numRuntimeErrorTestSuites > 0 || wasInterrupted) return;
    this.#error = new Error('no test ran: none has such a title, or all are skipped');
    console.error(this.#error.message);
  }

  getLastError() {
    return this.#error;
  }
}
