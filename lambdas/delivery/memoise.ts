/**
 * Makes a read run once per key; concurrent callers share one read, and its error. Nothing expires, so use it for one batch
 * only.
 */
export function memoise<Input, Value>(
  read: (input: Input) => Promise<Value>,
  keyOf: (input: Input) => string,
): (input: Input) => Promise<Value> {
  const reads = new Map<string, Promise<Value>>();
  return (input) => {
    const reading = reads.get(keyOf(input)) ?? read(input);
    reads.set(keyOf(input), reading);
    return reading;
  };
}
