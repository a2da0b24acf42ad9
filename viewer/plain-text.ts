/** Controls and separators of lines. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Characters without a shape, such as overrides of the direction; not the joiners, which scripts and emoji need. */
const SHAPELESS = /(?![\u200C\u200D])\p{Cf}/gu;

/**
 * Text of others for one line, where it can't turn around or break what stands beside it (Unicode Standard Annex 9, "Explicit
 * Directional Embeddings"). Empty when nothing of it can be seen.
 */
export const plainText = (text: string): string =>
  text.replace(CONTROLS, ' ').replace(SHAPELESS, '').replace(/\s+/g, ' ').trim();
