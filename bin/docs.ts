import { docsFolder } from '../lib/docs/docs-build';

/** `npm run docs`: builds the docs site unless it is up to date, and prints where it is. */
console.log(docsFolder());
