/** Characters that XML 1.0 can't hold, not even escaped (section 2.2, Char). */
const notInXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Text for an XML document; what XML can't hold is left out. */
export const xmlText = (value: string | number = ''): string => String(value).replaceAll(notInXml, '');
