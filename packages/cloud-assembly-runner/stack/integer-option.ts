/** Parses an integer from 1 to `atMost`. @throws Error that names the option */
export function integerOption(name: string, value: string | number, atMost: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > atMost)
    throw new Error(`${name} must be from 1 to ${atMost}.`);
  return number;
}
