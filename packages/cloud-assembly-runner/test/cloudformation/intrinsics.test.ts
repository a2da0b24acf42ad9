import * as fc from 'fast-check';
import { noValue, referencesIn, resolve, type Scope } from '../../cloudformation/intrinsics';

const scope: Scope = {
  ref: (name) => (name === 'AWS::NoValue' ? noValue : `ref-of-${name}`),
  attribute: (logicalId, attribute) => `${logicalId}-${attribute}`,
  condition: (name) => name === 'Holds',
  mapping: (map, top, second) => `${map}/${top}/${second}`,
};

/** JSON without keys of intrinsic functions. */
const plain = fc.jsonValue().filter((value) => !/"(Ref|Fn::[^"]*)":/.test(JSON.stringify(value)));
/** Text without the special characters of Fn::Sub. */
const word = fc.string().filter((text) => !/[${}]/.test(text));
const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,10}$/);

describe('Intrinsic functions', () => {
  test('leave other values unchanged', () => {
    fc.assert(fc.property(plain, (value) => expect(resolve(value, scope)).toEqual(value)));
  });

  test('are resolved at any depth', () => {
    fc.assert(
      fc.property(name, fc.array(fc.constantFrom('list', 'object'), { maxLength: 6 }), (id, nesting) => {
        const nest = (leaf: unknown) =>
          nesting.reduce<unknown>((inner, kind) => (kind === 'list' ? [inner] : { inner, other: 1 }), leaf);
        expect(resolve(nest({ Ref: id }), scope)).toEqual(nest(`ref-of-${id}`));
      }),
    );
  });

  test('split what they joined', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (parts) => {
        fc.pre(parts.every((part) => !part.includes('|')));
        expect(resolve({ 'Fn::Split': ['|', { 'Fn::Join': ['|', parts] }] }, scope)).toEqual(parts);
      }),
    );
  });

  test('select each element of a list by its index', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (parts) => {
        parts.forEach((part, index) => expect(resolve({ 'Fn::Select': [String(index), parts] }, scope)).toBe(part));
      }),
    );
  });

  test('substitute like a join of the same parts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, name)), (pieces) => {
        const template = pieces.map(([text, id]) => `${text}\${${id}}`).join('');
        const joined = pieces.flatMap(([text, id]) => [text, { Ref: id }]);
        expect(resolve({ 'Fn::Sub': template }, scope)).toBe(resolve({ 'Fn::Join': ['', joined] }, scope));
      }),
    );
  });

  test('substitute attributes and own variables, and keep literals', () => {
    const template = '${Table.Arn}/${own}/${!Literal}/${AWS::Region}';
    expect(resolve({ 'Fn::Sub': [template, { own: { Ref: 'X' } }] }, scope)).toBe(
      'Table-Arn/ref-of-X/${Literal}/ref-of-AWS::Region',
    );
  });

  test('remove properties and elements without a value', () => {
    const nothing = { Ref: 'AWS::NoValue' };
    const value = { a: nothing, b: [1, nothing, 2], c: { 'Fn::If': ['Holds', nothing, 1] } };
    expect(resolve(value, scope)).toEqual({ b: [1, 2] });
  });

  test.each([
    [{ 'Fn::If': ['Holds', 'yes', 'no'] }, 'yes'],
    [{ 'Fn::If': ['Other', 'yes', 'no'] }, 'no'],
    [{ 'Fn::Equals': [{ Ref: 'A' }, 'ref-of-A'] }, true],
    [{ 'Fn::Not': [{ Condition: 'Holds' }] }, false],
    [{ 'Fn::And': [{ Condition: 'Holds' }, { 'Fn::Equals': ['a', 'b'] }] }, false],
    [{ 'Fn::Or': [{ Condition: 'Holds' }, { 'Fn::Equals': ['a', 'b'] }] }, true],
    [{ 'Fn::FindInMap': ['Map', { Ref: 'Top' }, 'second'] }, 'Map/ref-of-Top/second'],
    [{ 'Fn::GetAtt': ['Function', 'Arn'] }, 'Function-Arn'],
    [{ 'Fn::GetAtt': 'Function.Arn' }, 'Function-Arn'],
  ])('resolve %j to %j', (value, expected) => {
    expect(resolve(value, scope)).toEqual(expected);
  });

  test.each(['Fn::ImportValue', 'Fn::Transform', 'Fn::GetAZs'])('refuse %s by name', (intrinsic) => {
    expect(() => resolve({ deep: [{ [intrinsic]: 'x' }] }, scope)).toThrow(intrinsic);
  });

  test('report all names that a value refers to', () => {
    const value = {
      a: [{ Ref: 'One' }, { 'Fn::GetAtt': ['Two', 'Arn'] }],
      b: { 'Fn::Sub': ['${Three} ${Four.Name} ${!Five} ${own} ${AWS::Region}', { own: { Ref: 'Six' } }] },
      c: { 'Fn::If': ['Condition', { Ref: 'Seven' }, 'Eight'] },
    };
    expect([...referencesIn(value)].sort()).toEqual(['Four', 'One', 'Seven', 'Six', 'Three', 'Two']);
  });
});
