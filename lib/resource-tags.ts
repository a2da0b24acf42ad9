import * as z from 'zod';

/** What every service of AWS takes in a tag (Tagging AWS resources user guide, "Tag naming limits and requirements"). */
const allowed = /^[\p{L}\p{N} _.:/=+@-]*$/u;
const LONGEST_KEY = 128;
const LONGEST_VALUE = 256;
/** A resource takes 50, of which we set two. */
const MOST = 48;
/** Those that say which deployment it is. */
const ours = ['service', 'stage'];

type Tags = Readonly<Record<string, string>>;

/** `costCenter=42,owner=flight` as pairs; a value may hold `=`. */
const pairs = (list: string): Tags =>
  Object.fromEntries(
    list.split(',').map((pair) => {
      const [key = '', ...value] = pair.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  );

/** What is wrong with these tags, to follow the name of the choice. */
function fault(tags: Tags): string | undefined {
  const keys = Object.keys(tags);
  if (keys.length > MOST) return `must be ${MOST} tags at most`;
  for (const [key, value] of Object.entries(tags)) {
    if (key === '' || value === '') return 'must be tags such as costCenter=42,owner=flight';
    if (/^aws:/i.test(key)) return 'must not have a key that begins with aws:';
    if (!allowed.test(key) || !allowed.test(value))
      return `must be letters, digits, spaces and _.:/=+-@: ${key} is not`;
    if (key.length > LONGEST_KEY) return `must have keys of at most ${LONGEST_KEY} characters`;
    if (value.length > LONGEST_VALUE)
      return `must have values of at most ${LONGEST_VALUE} characters: ${key} is longer`;
  }
  // IAM takes keys that differ by their case alone for the same.
  const lower = [...ours, ...keys].map((key) => key.toLowerCase());
  const twice = lower.find((key, index) => lower.indexOf(key) !== index);
  return twice === undefined ? undefined : `must have each key once: ${twice} is there twice`;
}

/** Tags beside our own, as text or, in cdk.json, as an object. */
export const resourceTags = z
  .union([z.string().transform(pairs), z.record(z.string(), z.string())], {
    error: 'must be tags such as costCenter=42,owner=flight',
  })
  .superRefine((tags, context) => {
    const message = fault(tags);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
