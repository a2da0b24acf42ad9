/** Size of an item in bytes: DynamoDB developer guide, "DynamoDB item sizes and formats". */

/** Bytes of a list or map itself, and of each of its elements. */
const CONTAINER_BYTES = 3;
const ELEMENT_BYTES = 1;

/** @param item in DynamoDB's JSON, such as `{"id":{"S":"7"}}` */
export function itemSize(item: Readonly<Record<string, unknown>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);
}

function valueSize(value: unknown): number {
  const [[type, content] = ['NULL', true]] = Object.entries(value ?? {}) as [string, unknown][];
  const elements = Array.isArray(content) ? (content as unknown[]) : [];
  if (type === 'S') return Buffer.byteLength(String(content));
  if (type === 'N') return numberSize(String(content));
  if (type === 'B') return Buffer.from(String(content), 'base64').length;
  if (type === 'SS') return elements.reduce((sum: number, one) => sum + Buffer.byteLength(String(one)), 0);
  if (type === 'NS') return elements.reduce((sum: number, one) => sum + numberSize(String(one)), 0);
  if (type === 'BS') return elements.reduce((sum: number, one) => sum + Buffer.from(String(one), 'base64').length, 0);
  if (type === 'L') return elements.reduce((sum: number, one) => sum + ELEMENT_BYTES + valueSize(one), CONTAINER_BYTES);
  if (type === 'M') {
    const fields = content as Readonly<Record<string, unknown>>;
    return CONTAINER_BYTES + ELEMENT_BYTES * Object.keys(fields).length + itemSize(fields);
  }
  // A Boolean or null.
  return 1;
}

/** One byte for two significant digits, and one more; "approximately", as the guide says. */
function numberSize(text: string): number {
  const digits = text
    .replace(/e.*$/i, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1;
}
