/**
 * Makes of a read one that is done once for each key, however often and however much at once it is asked for. For the
 * time of one batch: what has been read is not read again. A read that fails fails everyone who asks.
 */
export function memoise<Asked, Value>(
  read: (asked: Asked) => Promise<Value>,
  keyOf: (asked: Asked) => string,
): (asked: Asked) => Promise<Value> {
  const reads = new Map<string, Promise<Value>>();
  return (asked) => {
    const reading = reads.get(keyOf(asked)) ?? read(asked);
    reads.set(keyOf(asked), reading);
    return reading;
  };
}
