/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  transform: { '^.+\\.[mc]?[jt]s$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
  // These are published as ES modules only, so jest has to transform them too.
  transformIgnorePatterns: ['/node_modules/(?!(nanoid|jose|ulid|@middy)/)'],
};
