import { InvokeCommand } from '@aws-sdk/client-lambda';
import { greetLater, readGreeting, type Greeting } from '../../../data/connections/greetings';
import { id } from '../../domain/fixtures/samples';
import { askedFor, greeter } from '../fixtures/greeter';
import { connection } from '../fixtures/sockets';

const greetings: [Greeting][] = [
  [{ kind: 'channel', connection: connection() }],
  [{ kind: 'viewer', connectionId: 'socket-1' }],
  [{ kind: 'subscription', connectionId: 'socket-1', followed: id('group') }],
];

test.each(greetings)(
  '%j is asked for by one call that nobody waits for the end of, and read as it was sent.',
  async (greeting) => {
    await greetLater(greeting);
    expect(greeter).toHaveReceivedCommandTimes(InvokeCommand, 1);
    expect(greeter).toHaveReceivedCommandWith(InvokeCommand, { FunctionName: 'greet', InvocationType: 'Event' });
    expect(askedFor()).toEqual([greeting]);
    expect(readGreeting(askedFor()[0])).toEqual(greeting);
  },
);

test.each([
  {},
  null,
  [],
  { kind: 'guest', connectionId: 'a' },
  { kind: 'viewer' },
  { kind: 'channel', connection: {} },
])('%j is none that we ever sent.', (event) => {
  expect(() => readGreeting(event)).toThrow();
});

test('It is an error when Lambda does not take the event.', async () => {
  const fault = new Error('Rate Exceeded.');
  greeter.on(InvokeCommand).rejects(fault);
  await expect(greetLater({ kind: 'viewer', connectionId: 'socket-1' })).rejects.toBe(fault);
});

test('It is an error when the function was not bound to the one that greets.', async () => {
  const { GREET_FUNCTION } = process.env;
  delete process.env['GREET_FUNCTION'];
  await expect(greetLater({ kind: 'viewer', connectionId: 'socket-1' })).rejects.toThrow('GREET_FUNCTION is not set');
  process.env['GREET_FUNCTION'] = GREET_FUNCTION;
  expect(greeter).not.toHaveReceivedAnyCommand();
});
