/** Limits of one message: the service takes 40 samples, and a frame of 32 KB, of which some is the envelope's. */
const MAX_SAMPLES = 40;
const MAX_BYTES = 31_000;

const encoder = new TextEncoder();
const bytesOf = (sample: object) => encoder.encode(JSON.stringify(sample)).length + 1;

/** Splits samples into lists that each fit into a message. */
export function partsOf<Sample extends object>(samples: readonly Sample[]): Sample[][] {
  const parts: Sample[][] = [];
  let bytes = Infinity;
  for (const sample of samples) {
    const more = bytesOf(sample);
    const part = parts.at(-1);
    if (part && part.length < MAX_SAMPLES && bytes + more <= MAX_BYTES) {
      part.push(sample);
      bytes += more;
    } else {
      parts.push([sample]);
      bytes = more;
    }
  }
  return parts;
}
