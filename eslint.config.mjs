import boundaries from 'eslint-plugin-boundaries';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * The import arrows of the house, one row per folder: which other folders it may import, of which only the types, and
 * which packages. What is not listed is forbidden; `node` stands for the modules that Node.js brings along.
 */
const arrows = {
  domain: { packages: ['zod'] },
  contract: { folders: ['domain'], packages: ['zod'] },
  data: { folders: ['domain'], packages: ['zod', 'nanoid', 'ulid', '@aws-sdk/*', '@smithy/*'], node: true },
  lambdas: {
    folders: ['contract', 'domain', 'data'],
    packages: ['zod', '@middy/*', 'aws-jwt-verify', 'aws-lambda'],
    node: true,
  },
  lib: {
    folders: ['contract'],
    types: ['domain'],
    packages: ['aws-cdk-lib', 'constructs', 'esbuild', 'fastest-levenshtein', 'zod'],
    node: true,
  },
  bin: {
    folders: ['lib', 'contract', 'domain', 'data'],
    packages: ['aws-cdk-lib', 'constructs', 'zod', 'mqtt', 'ws', 'undici', '@aws-sdk/*'],
    node: true,
  },
  simulator: { folders: ['contract'], packages: ['zod', '@aws-sdk/*', 'aws-lambda'], node: true },
  local: { packages: ['!(aws-cdk-lib|constructs)', '@*/**'], node: true },
  viewer: { types: ['contract', 'domain'], packages: ['!(aws-cdk-lib|constructs)'] },
};
/** Folders from which anything may be imported. */
const free = ['bench', 'test'];

const policies = [
  ...Object.entries(arrows).map(([folder, { folders = [], types = [], packages, node = false }]) => ({
    from: { element: { types: folder } },
    allow: [
      ...folders.map((other) => ({ to: { element: { types: other } } })),
      ...types.map((other) => ({ to: { element: { types: other } }, dependency: { kind: 'type' } })),
      ...packages.map((source) => ({ to: { module: { origin: 'external', source } } })),
      ...(node ? [{ to: { module: { origin: 'core' } } }] : []),
    ],
  })),
  { from: { element: { types: { anyOf: free } } }, allow: { to: { module: { origin: '*' } } } },
];

const message = 'This import goes against the arrows of the house: see eslint.config.mjs and CONTRIBUTING.md.';

export default defineConfig(
  globalIgnores(['cdk.out/', '.local/', 'coverage/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true } },
  tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    name: 'Objects made by functions have methods that need no this',
    files: ['local/**', 'test/**'],
    rules: { '@typescript-eslint/unbound-method': 'off' },
  },
  { files: ['**/*.{js,mjs}'], extends: [tseslint.configs.disableTypeChecked] },
  {
    name: 'The import arrows',
    files: ['*/**/*.ts'],
    plugins: { boundaries },
    settings: {
      'import/resolver': { typescript: {} },
      'boundaries/root-path': import.meta.dirname,
      'boundaries/elements': [...Object.keys(arrows), ...free].map((type) => ({
        type,
        pattern: type,
        partialMatch: false,
      })),
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        { default: 'disallow', checkAllOrigins: true, checkUnknownLocals: true, policies, message },
      ],
      'boundaries/no-unknown-files': 'error',
    },
  },
  {
    name: 'Commands of DynamoDB come from data/store/document-client.ts: its client would give one of the library the answer of another',
    files: ['data/**'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@aws-sdk/lib-dynamodb',
              allowTypeImports: true,
              message: 'Import from data/store/document-client.ts.',
            },
          ],
        },
      ],
    },
  },
  {
    name: 'The environment is read where data is kept and where functions start, nowhere else',
    files: [
      'domain/**',
      'contract/**',
      'lib/**',
      'viewer/**',
      'lambdas/{http,socket,stream,schedule,queue,mqtt,authorizer,channel,delivery}/**',
    ],
    ignores: ['lib/functions/bundled/environment-credentials.ts'],
    rules: { 'no-restricted-properties': ['error', { object: 'process', property: 'env' }] },
  },
  {
    name: 'The domain has no clock',
    files: ['domain/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        'NewExpression[callee.name="Date"][arguments.length=0]',
        'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
      ],
    },
  },
);
