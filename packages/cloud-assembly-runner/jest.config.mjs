import { createRequire } from 'node:module';

// The SDK warns of a Node version that Lambda does not use.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** Packages that are published as ES modules only, so jest has to transform them. */
const esModules = ['nanoid', 'jose', 'aedes'];

/** @type {import('jest').Config} */
export default {
  displayName: 'runner',
  testEnvironment: 'node',
  // A test that hangs ends; one on a busy machine does not.
  testTimeout: 120_000,
  roots: ['<rootDir>/test'],
  transform: { '^.+\\.[mc]?[jt]s$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  // zod includes fifty languages, which every test file would load.
  moduleNameMapper: {
    '^\\.\\./locales/index\\.cjs$': createRequire(import.meta.url).resolve('zod/v4/locales/en.cjs'),
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
};
