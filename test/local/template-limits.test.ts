import { parseTemplate } from '../../local/template';
import { refuseOverLimits } from '../../local/template-limits';

const many = <T>(count: number, value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`R${n}`, value]));
const check =
  (template: object, bytes = 1000) =>
  () =>
    refuseOverLimits(parseTemplate({ Resources: {}, ...template }), bytes);

describe('A template that CloudFormation would not take', () => {
  it.each([
    ['501 resources', { Resources: many(501, { Type: 'T' }) }, '501 resources, CloudFormation takes 500'],
    ['201 outputs', { Outputs: many(201, { Value: '1' }) }, '201 outputs'],
    ['201 parameters', { Parameters: many(201, { Default: '1' }) }, '201 parameters'],
    ['201 mappings', { Mappings: many(201, {}) }, '201 mappings'],
    ['too long a description', { Description: 'x'.repeat(1025) }, '1025 bytes of description'],
    ['a logical id with a hyphen', { Resources: { 'a-b': { Type: 'T' } } }, 'a-b is no logical id'],
  ])('is refused for %s', (_what, template, message) => {
    expect(check(template)).toThrow(message);
  });

  it('is refused when it is larger than 1 MB', () => {
    expect(check({}, 1024 * 1024 + 1)).toThrow('1048577 bytes, CloudFormation takes 1048576');
  });

  it('is taken up to there', () => {
    expect(
      check({ Resources: many(500, { Type: 'T' }), Outputs: many(200, { Value: '1' }) }, 1024 * 1024),
    ).not.toThrow();
  });
});
