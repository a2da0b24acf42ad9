import { setting } from '../../../data/store/environment';

afterEach(() => {
  delete process.env['SOME_SETTING'];
});

test('setting returns the environment variable', () => {
  process.env['SOME_SETTING'] = 'https://queue.test';
  expect(setting('SOME_SETTING')).toBe('https://queue.test');
});

test.each([undefined, ''])('setting fails with the name of a variable that is %j', (value) => {
  if (value !== undefined) process.env['SOME_SETTING'] = value;
  expect(() => setting('SOME_SETTING')).toThrow('SOME_SETTING is not set');
});
