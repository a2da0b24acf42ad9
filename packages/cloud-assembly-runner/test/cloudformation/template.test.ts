import * as fc from 'fast-check';
import { inCreationOrder, parseTemplate, scopeOf, type Template } from '../../cloudformation/template';

const noneExists = () => undefined;
const order = (template: Template) =>
  inCreationOrder(template, scopeOf(template, 'Stack', noneExists)).map(({ logicalId }) => logicalId);

describe('Creation order', () => {
  test('puts each resource after those it refers to, in any order of the template', () => {
    // References go only to lower numbers, so there is no cycle; then the template is shuffled.
    const graph = fc
      .array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 20 })
      .chain((edges) =>
        fc.tuple(fc.constant(edges), fc.shuffledSubarray([...edges.keys()], { minLength: edges.length })),
      );
    fc.assert(
      fc.property(graph, ([edges, shuffled]) => {
        const references = (n: number) => (n === 0 ? [] : (edges[n] ?? []).map((edge) => `R${edge % n}`));
        const resources = shuffled.map((n) => {
          const [first, ...others] = references(n);
          const Properties = { others: others.map((Ref) => ({ Ref })) };
          return [`R${n}`, { Type: 'T', Properties, ...(first && { DependsOn: first }) }] as const;
        });
        const result = order(parseTemplate({ Resources: Object.fromEntries(resources) }));
        expect([...result].sort()).toEqual(resources.map(([id]) => id).sort());
        for (const n of edges.keys()) {
          for (const reference of references(n)) {
            expect(result.indexOf(reference)).toBeLessThan(result.indexOf(`R${n}`));
          }
        }
      }),
    );
  });

  test('names the members of a cycle', () => {
    const template = parseTemplate({
      Resources: {
        Egg: { Type: 'T', Properties: { from: { 'Fn::GetAtt': ['Hen', 'Arn'] } } },
        Hen: { Type: 'T', DependsOn: ['Egg'] },
      },
    });
    expect(() => order(template)).toThrow('cycle: Egg → Hen → Egg');
  });

  test('names an unknown reference and the resource that has it', () => {
    const template = parseTemplate({ Resources: { A: { Type: 'T', Properties: { to: { Ref: 'Missing' } } } } });
    expect(() => order(template)).toThrow('A refers to Missing');
  });

  test('leaves out resources whose condition does not hold', () => {
    const template = parseTemplate({
      Conditions: {
        InEurope: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-central-1'] },
        Not: { 'Fn::Not': [{ Condition: 'InEurope' }] },
      },
      Resources: { Here: { Type: 'T', Condition: 'InEurope' }, There: { Type: 'T', Condition: 'Not' } },
    });
    expect(order(template)).toEqual(['Here']);
  });
});

describe('Scope of a template', () => {
  const template = parseTemplate({
    Parameters: { BootstrapVersion: { Type: 'String', Default: '/version' }, Asked: { Type: 'String' } },
    Mappings: { Map: { top: { second: 'value' } } },
    Conditions: { A: { Condition: 'B' }, B: { 'Fn::Not': [{ Condition: 'A' }] } },
    Resources: {},
  });
  const scope = scopeOf(template, 'Stack', noneExists);

  test('resolves parameters by their default, pseudo parameters and mappings', () => {
    expect(scope.ref('BootstrapVersion')).toBe('/version');
    expect(scope.ref('AWS::Region')).toBe('eu-central-1');
    expect(scope.ref('AWS::StackName')).toBe('Stack');
    expect(scope.mapping('Map', 'top', 'second')).toBe('value');
  });

  test.each([
    ['a parameter without default', () => scope.ref('Asked'), 'Asked'],
    ['an unknown name', () => scope.ref('Nobody'), 'Nobody'],
    ['an unknown attribute', () => scope.attribute('Nobody', 'Arn'), 'Nobody'],
    ['an unknown mapping', () => scope.mapping('Map', 'top', 'third'), 'Map.top.third'],
    ['an unknown condition', () => scope.condition('C'), 'C'],
    ['a cycle of conditions', () => scope.condition('A'), 'A → B → A'],
  ])('fails for %s, by name', (_what, look, expected) => {
    expect(look).toThrow(expected);
  });
});
