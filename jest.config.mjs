import { availableParallelism } from 'node:os';

// Lambda has a newer Node than the one that the SDK warns of.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** @type {import('jest').Config} */
const common = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  transform: { '^.+\\.[mc]?[jt]s$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  // zod brings along fifty languages, which every test file would load anew.
  moduleNameMapper: {
    '^\\.\\./locales/index\\.cjs$': '<rootDir>/node_modules/zod/v4/locales/en.cjs',
    '^zod/locales$': '<rootDir>/test/zod-locales.ts',
  },
  // These are published as ES modules only, so jest has to transform them too.
  transformIgnorePatterns: ['/node_modules/(?!(nanoid|jose|ulid|@middy|aedes)/)'],
};

/** @type {import('jest').Config} Of those that talk to a stack: one for all of them, here or elsewhere. */
const withStack = {
  ...common,
  globalSetup: '<rootDir>/test/api/stack/start.ts',
  globalTeardown: '<rootDir>/test/api/stack/stop.ts',
  setupFilesAfterEnv: ['<rootDir>/test/api/stack/patience.ts'],
};

/** @type {import('jest').Config} */
export default {
  // Many tests wait for what happens in real time, so that a processor has more than one of them to attend to.
  maxWorkers: availableParallelism() + 3,
  // What hangs fails; a machine that is busy with something else does not. Of the longer ones see patience.ts.
  testTimeout: 30_000,
  projects: [
    {
      ...common,
      displayName: 'unit',
      setupFilesAfterEnv: ['<rootDir>/test/local/patience.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(api|channels|browser|bin/smoke|faults)/'],
    },
    {
      ...withStack,
      displayName: 'api',
      testMatch: ['<rootDir>/test/{api,channels}/**/*.test.ts'],
      // Of a stack elsewhere there are no logs and no data folder.
      testPathIgnorePatterns: ['/node_modules/', ...(process.env.BASE_URL ? ['/on-this-machine/'] : [])],
    },
    {
      ...withStack,
      // Whether the smoke test finds out whatever a deployment may say wrong: it tells its story a dozen times. Once it does
      // so on a second stack, in which a simulated fleet flies.
      displayName: 'smoke',
      testMatch: ['<rootDir>/test/bin/smoke/**/*.test.ts'],
    },
    {
      ...withStack,
      // The share page in Chromium: the one project that needs more than npm installs.
      displayName: 'browser',
      testMatch: ['<rootDir>/test/browser/**/*.test.ts'],
    },
    {
      ...common,
      // A stack whose faults the tests switch: one file after the other, for all of them share it.
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
      globalSetup: '<rootDir>/test/faults/stack/start.ts',
      globalTeardown: '<rootDir>/test/faults/stack/stop.ts',
      setupFilesAfterEnv: ['<rootDir>/test/faults/stack/patience.ts'],
    },
  ],
};
