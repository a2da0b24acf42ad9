import * as z from 'zod';

/**
 * Characters that every AWS service accepts in a tag (Tagging AWS resources user guide, "Tag naming limits and
 * requirements").
 */
const allowed = /^[\p{L}\p{N} _.:/=+@-]*$/u;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;
/** AWS allows 50 per resource; this app sets two itself. */
const MAX_TAGS = 48;
/** Keys that this app sets. */
const reserved = ['service', 'stage'];

type Tags = Readonly<Record<string, string>>;

/** Parses `costCenter=42,owner=flight`; a value may contain `=`. */
const pairs = (list: string): Tags =>
  Object.fromEntries(
    list.split(',').map((pair) => {
      const [key = '', ...value] = pair.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  );

/** Returns the first error in these tags, worded to follow the name of the option, or undefined. */
function errorIn(tags: Tags): string | undefined {
  const keys = Object.keys(tags);
  if (keys.length > MAX_TAGS) return `must be at most ${MAX_TAGS} tags`;
  for (const [key, value] of Object.entries(tags)) {
    if (key === '' || value === '') return 'must be tags such as costCenter=42,owner=flight';
    if (/^aws:/i.test(key)) return 'must not have keys that begin with aws:';
    if (!allowed.test(key) || !allowed.test(value))
      return `must consist of letters, digits, spaces and _.:/=+-@: ${key} does not`;
    if (key.length > MAX_KEY_LENGTH) return `must have keys of at most ${MAX_KEY_LENGTH} characters`;
    if (value.length > MAX_VALUE_LENGTH)
      return `must have values of at most ${MAX_VALUE_LENGTH} characters: ${key} is longer`;
  }
  // IAM treats keys that differ only in case as the same.
  const lower = [...reserved, ...keys].map((key) => key.toLowerCase());
  const duplicate = lower.find((key, index) => lower.indexOf(key) !== index);
  return duplicate === undefined ? undefined : `must have each key once: ${duplicate} is repeated`;
}

/** Additional tags, as text or, in cdk.json, as an object. */
export const resourceTags = z
  .union([z.string().transform(pairs), z.record(z.string(), z.string())], {
    error: 'must be tags such as costCenter=42,owner=flight',
  })
  .superRefine((tags, context) => {
    const message = errorIn(tags);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
