import { existsSync } from 'node:fs';
import { findBinary } from '../../dynamodb/engine';

const installed = (name: string) => `/node_modules/${name}`;

test.each([
  ['darwin', 'arm64', '/node_modules/@dynoxide/darwin-arm64/dynoxide'],
  ['darwin', 'x64', '/node_modules/@dynoxide/darwin-x64/dynoxide'],
  ['linux', 'arm64', '/node_modules/@dynoxide/linux-arm64/dynoxide'],
  ['linux', 'x64', '/node_modules/@dynoxide/linux-x64/dynoxide'],
  ['win32', 'x64', '/node_modules/@dynoxide/win32-x64/dynoxide.exe'],
])('the engine of %s-%s is %s', (platform, arch, binary) => {
  expect(findBinary(platform, arch, installed)).toBe(binary);
});

test('the engine of this platform is installed', () => {
  expect(existsSync(findBinary())).toBe(true);
});

test('an engine that is not installed is refused with the command that installs it', () => {
  expect(() => findBinary('sunos', 'x64')).toThrow(
    'There is no DynamoDB engine for sunos-x64: run npm install --no-save @dynoxide/sunos-x64@1.2.1, or set DYNAMODB_ENDPOINT',
  );
});
