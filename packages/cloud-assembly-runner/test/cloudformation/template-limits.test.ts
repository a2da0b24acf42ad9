import { parseTemplate } from '../../cloudformation/template';
import { checkTemplateLimits } from '../../cloudformation/template-limits';

const many = <T>(count: number, value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`R${n}`, value]));
const check =
  (template: object, bytes = 1000) =>
  () =>
    checkTemplateLimits(parseTemplate({ Resources: {}, ...template }), bytes);

describe("CloudFormation's template quotas", () => {
  test.each([
    ['501 resources', { Resources: many(501, { Type: 'T' }) }, '501 resources, CloudFormation allows 500'],
    ['201 outputs', { Outputs: many(201, { Value: '1' }) }, '201 outputs'],
    ['201 parameters', { Parameters: many(201, { Default: '1' }) }, '201 parameters'],
    ['201 mappings', { Mappings: many(201, {}) }, '201 mappings'],
    ['a description that is too long', { Description: 'x'.repeat(1025) }, '1025 bytes of description'],
    ['a logical id with a hyphen', { Resources: { 'a-b': { Type: 'T' } } }, 'a-b is not a valid logical id'],
  ])('refuse %s', (_what, template, message) => {
    expect(check(template)).toThrow(message);
  });

  test('refuse a template of more than 1 MB', () => {
    expect(check({}, 1024 * 1024 + 1)).toThrow('1048577 bytes, CloudFormation allows 1048576');
  });

  test('accept a template at the limits', () => {
    expect(
      check({ Resources: many(500, { Type: 'T' }), Outputs: many(200, { Value: '1' }) }, 1024 * 1024),
    ).not.toThrow();
  });
});
