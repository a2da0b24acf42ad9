/** English alone of zod's languages: see jest.config.mjs. */
export { default as en } from 'zod/v4/locales/en.cjs';
