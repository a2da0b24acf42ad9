import { availableParallelism } from 'node:os';

// The SDK warns of a Node version that Lambda does not use.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** Packages that are published as ES modules only, so jest has to transform them. */
const esModules = [
  'nanoid',
  'jose',
  'ulid',
  '@middy',
  'aedes',
  'openapi-fetch',
  // Those of the XML serialiser.
  'xastscript',
  'xast-util-to-xml',
  'ccount',
  'stringify-entities',
  'character-entities-(html4|legacy)',
];

/** @type {import('jest').Config} */
const common = {
  testEnvironment: 'node',
  runtime: '<rootDir>/test/run/runtime.mjs',
  // The client is tested as its source, not as it was last built.
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'drone-mission-source'] },
  roots: ['<rootDir>/test', '<rootDir>/clients/typescript/test'],
  transform: { '^.+\\.[mc]?[jt]s$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  // zod includes fifty languages, which every test file would load.
  moduleNameMapper: {
    '^\\.\\./locales/index\\.cjs$': '<rootDir>/node_modules/zod/v4/locales/en.cjs',
    '^zod/locales$': '<rootDir>/test/zod-locales.ts',
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
};

/** @type {import('jest').Config} Of projects that share a running stack, local or deployed. */
const withStack = {
  ...common,
  globalSetup: '<rootDir>/test/api/stack/start.ts',
  globalTeardown: '<rootDir>/test/api/stack/stop.ts',
  testEnvironment: '<rootDir>/test/api/stack/environment.ts',
  setupFilesAfterEnv: ['<rootDir>/test/api/stack/patience.ts'],
};

/** Projects that test the service: those of `npm test` without a path. */
export const service = ['unit', 'api'];

/** Projects whose files share what their tests change, so they run one after the other. */
export const alone = ['faults'];

/** @type {import('jest').Config} */
export default {
  testSequencer: '<rootDir>/test/run/sequencer.mjs',
  reporters: ['default', '<rootDir>/test/run/none-ran.mjs'],
  // Many tests wait for real time to pass, so a processor can run several.
  maxWorkers: availableParallelism() + 3,
  // A test that hangs ends; one on a busy machine does not. patience.ts sets longer ones.
  testTimeout: 120_000,
  projects: [
    // The package that runs the template has its own tests; `npm test -w cloud-assembly-runner` runs them alone.
    '<rootDir>/packages/cloud-assembly-runner',
    {
      ...common,
      displayName: 'unit',
      globalSetup: '<rootDir>/test/data/engines/start.ts',
      globalTeardown: '<rootDir>/test/data/engines/stop.ts',
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/(api|channels|browser|bin/smoke|faults|clients|guides|platform-kit/adapter)/',
        '<rootDir>/test/bench/run-bench.test.ts',
        '<rootDir>/clients/',
      ],
    },
    {
      ...common,
      // Runs the benchmarks themselves, in small.
      displayName: 'bench',
      testMatch: ['<rootDir>/test/bench/run-bench.test.ts'],
    },
    {
      ...withStack,
      displayName: 'api',
      testMatch: ['<rootDir>/test/{api,channels}/**/*.test.ts'],
      // A deployed stack has no local logs and no data folder.
      testPathIgnorePatterns: ['/node_modules/', ...(process.env.BASE_URL ? ['/on-this-machine/'] : [])],
    },
    {
      ...withStack,
      displayName: 'clients',
      testMatch: ['<rootDir>/test/clients/**/*.test.ts', '<rootDir>/clients/typescript/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '<rootDir>/test/clients/cases/',
        ...(process.env.BASE_URL ? ['/on-this-machine/'] : []),
      ],
    },
    {
      ...common,
      // What all clients do alike, against a service that each case scripts.
      displayName: 'client-cases',
      testMatch: ['<rootDir>/test/clients/cases/*.test.ts'],
    },
    {
      ...withStack,
      // Tests that the smoke test detects faults of a deployment: runs it a dozen times, once on a second stack with a
      // simulated fleet.
      displayName: 'smoke',
      testMatch: ['<rootDir>/test/bin/smoke/**/*.test.ts'],
    },
    {
      ...withStack,
      // The share page in Chromium, which npm does not install.
      displayName: 'browser',
      testMatch: ['<rootDir>/test/browser/**/*.test.ts'],
    },
    {
      ...common,
      // The snippets of the guides, as programs of a partner; the test starts a stack with a simulated fleet.
      displayName: 'guides',
      testMatch: ['<rootDir>/test/guides/**/*.test.ts'],
    },
    {
      ...common,
      // The sample adapter of a platform, which needs packages of Python; each file starts what it needs.
      displayName: 'adapter',
      testMatch: ['<rootDir>/test/platform-kit/adapter/**/*.test.ts'],
    },
    {
      ...withStack,
      // All files share a stack whose faults the tests set.
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
      globalSetup: '<rootDir>/test/faults/stack/start.ts',
      globalTeardown: '<rootDir>/test/faults/stack/stop.ts',
      setupFilesAfterEnv: ['<rootDir>/test/faults/stack/patience.ts'],
    },
  ],
};
