import {
  commandsWithButton,
  isOutdatedBy,
  isPartOf,
  needsConfirmation,
  type Situation,
  whyBlocked,
  commandLabel,
  commandLook,
  type CommandProgress,
  progressText,
} from '../../viewer/commands';
import { de } from '../../viewer/texts/de';
import { en } from '../../viewer/texts/en';

describe('Command buttons', () => {
  describe('A further press', () => {
    const [onItsWay, begun, done, lost]: CommandProgress[] = [
      { step: 'onItsWay' },
      { outcome: 'DELIVERED' },
      { outcome: 'DONE' },
      { step: 'connectionLost' },
    ];
    test.each<[name: string, progress: CommandProgress | undefined, ms: number, isOne: boolean]>([
      ['TAKE_PHOTO', done, 499, false],
      ['TAKE_PHOTO', done, 500, true],
      ['TAKE_PHOTO', { step: 'sending' }, 500, false],
      ['TAKE_PHOTO', onItsWay, 60_000, false],
      ['TAKE_PHOTO', begun, 60_000, false],
      ['TAKE_PHOTO', lost, 500, true],
      ['TAKE_PHOTO', { step: 'noAnswer' }, 8000, true],
      ['TAKE_PHOTO', { step: 'refused', text: '' }, 500, true],
      ['TAKE_PHOTO', { step: 'notSent' }, 500, true],
      ['TAKE_PHOTO', undefined, 500, true],
      ['x-siren', begun, 60_000, false],
      ['RESUME', onItsWay, 60_000, false],
      ['START_RECORDING', onItsWay, 60_000, false],
      ['PAUSE', onItsWay, 1999, false],
      ['PAUSE', onItsWay, 2000, true],
      ['PAUSE', done, 500, true],
      ['RETURN_HOME', begun, 1999, false],
      ['RETURN_HOME', begun, 2000, true],
      ['LAND', begun, 2000, true],
    ])('of %s, %j, after %i ms is a further command: %s', (name, progress, ms, isOne) => {
      expect(isPartOf({ at: 1000, progress }, name, 1000 + ms)).toBe(!isOne);
    });

    test('is the first one when none was sent', () => {
      expect(isPartOf(undefined, 'PAUSE', 0)).toBe(false);
    });
  });

  describe('A button', () => {
    const usual = ['PAUSE', 'RESUME', 'RETURN_HOME', 'TAKE_PHOTO', 'START_RECORDING', 'STOP_RECORDING'];
    const control = ['view', 'control'] as const;

    test.each<[string, Parameters<typeof commandsWithButton>[0], readonly string[]]>([
      ['nothing without permissions', {}, []],
      ['nothing when viewing only is permitted', { permissions: ['view'], commands: ['PAUSE'] }, []],
      ['all but LAND without a list', { permissions: [...control] }, usual],
      [
        'what the list has, in the page’s order',
        { permissions: [...control], commands: ['LAND', 'PAUSE'] },
        ['PAUSE', 'LAND'],
      ],
      [
        'names of the platform’s own once, after the others',
        { permissions: [...control], commands: ['x-siren', 'PAUSE', 'x-siren'] },
        ['PAUSE', 'x-siren'],
      ],
      [
        'no command with parameters, and no name that is none',
        { permissions: [...control], commands: ['GO_TO', 'ORBIT', 'LOOK_AT', 'GIMBAL', 'HOVER', 'toString'] },
        [],
      ],
    ])('stands for %s', (_, share, expected) => expect(commandsWithButton(share)).toEqual(expected));

    test.each([
      ['PAUSE', false],
      ['RESUME', false],
      ['RETURN_HOME', true],
      ['LAND', true],
      ['TAKE_PHOTO', false],
      ['x-siren', false],
    ])('for %s must be confirmed: %s', (name, expected) => expect(needsConfirmation(name)).toBe(expected));
  });

  describe('whyBlocked', () => {
    const names = ['PAUSE', 'RESUME', 'RETURN_HOME', 'LAND', 'TAKE_PHOTO', 'x-siren'];
    const every = (reason: string) => Object.fromEntries(names.map((name) => [name, reason]));
    const flying = { connection: 'live', droneState: 'HOVER', lastTaken: undefined } as const;
    const notReported = 'notReported';

    test.each<[string, Partial<Situation>, object]>([
      ['while the drone hovers', {}, {}],
      ['on its route', { droneState: 'WAYPOINT' }, { RESUME: 'fliesAlready' }],
      ['on its route, after a pause', { droneState: 'WAYPOINT', lastTaken: 'PAUSE' }, {}],
      [
        'on its route, after another command',
        { droneState: 'WAYPOINT', lastTaken: 'RESUME' },
        { RESUME: 'fliesAlready' },
      ],
      ['on its way home', { droneState: 'RETURNING' }, { RESUME: 'fliesAlready' }],
      ['around a place', { droneState: 'ORBIT' }, {}],
      ['flown by hand', { droneState: 'MANUAL' }, {}],
      ['in a state of a later version', { droneState: 'DANCING' }, {}],
      ['in a state that every object has', { droneState: 'constructor' }, {}],
      ['landed', { droneState: 'LANDED' }, every('onTheGround')],
      ['in the dock', { droneState: 'DOCKED' }, every('onTheGround')],
      [
        'before the first report',
        { droneState: undefined },
        { PAUSE: notReported, RESUME: notReported, TAKE_PHOTO: notReported, 'x-siren': notReported },
      ],
      ['without a connection', { connection: 'reconnecting' }, every('notConnected')],
      ['without a connection, on the ground', { connection: 'full', droneState: 'DOCKED' }, every('notConnected')],
      ['after the end of the share', { connection: 'ended' }, every('ended')],
    ])('%s', (_, situation, expected) => {
      const reasons = names.map((name) => [name, whyBlocked(name, { ...flying, ...situation })] as const);
      expect(Object.fromEntries(reasons.filter(([, reason]) => reason))).toEqual(expected);
    });

    test.each(['MANUAL', 'GPS_NORMAL', 'WAYPOINT', 'HOVER', 'ORBIT', 'RETURNING'])(
      'never blocks PAUSE, RETURN_HOME and LAND of a drone in the air: %s',
      (droneState) => {
        for (const lastTaken of [undefined, ...names])
          for (const name of ['PAUSE', 'RETURN_HOME', 'LAND'])
            expect(whyBlocked(name, { connection: 'live', droneState, lastTaken })).toBeUndefined();
      },
    );
  });

  test.each([
    ['PAUSE', 'RESUME', true],
    ['PAUSE', 'PAUSE', true],
    ['RESUME', 'RETURN_HOME', true],
    ['LAND', 'PAUSE', true],
    ['START_RECORDING', 'STOP_RECORDING', true],
    ['PAUSE', 'TAKE_PHOTO', false],
    ['TAKE_PHOTO', 'START_RECORDING', false],
    ['x-siren', 'LAND', false],
  ])('the outcome of %s is outdated by %s: %s', (name, sent, expected) =>
    expect(isOutdatedBy(name, sent)).toBe(expected),
  );
});

describe('Command text', () => {
  test.each<[string, CommandProgress, string, string, string]>([
    ['PAUSE', { step: 'sending' }, 'pending', 'Sending…', 'Wird gesendet…'],
    ['PAUSE', { step: 'onItsWay' }, 'pending', 'On its way', 'Unterwegs'],
    ['PAUSE', { outcome: 'DELIVERED' }, 'pending', 'The drone has begun…', 'Die Drohne hat begonnen…'],
    ['PAUSE', { outcome: 'DONE' }, 'good', 'The drone stands', 'Die Drohne steht'],
    ['x-siren', { outcome: 'DONE' }, 'good', 'Done', 'Erledigt'],
    ['toString', { outcome: 'DONE' }, 'good', 'Done', 'Erledigt'],
    [
      'PAUSE',
      { outcome: 'REFUSED', reason: 'TOO_LATE' },
      'bad',
      'Refused. It came too late: press again if you still want it.',
      'Abgelehnt. Es kam zu spät: Drücken Sie erneut, wenn Sie es noch wollen.',
    ],
    [
      'PAUSE',
      { outcome: 'FAILED' },
      'bad',
      'Failed. Ask the owner of the drone.',
      'Fehlgeschlagen. Fragen Sie den Eigentümer der Drohne.',
    ],
    ['PAUSE', { outcome: 'TIMED_OUT' }, 'bad', en.controls.TIMED_OUT, de.controls.TIMED_OUT],
    ['PAUSE', { outcome: 'SUPERSEDED' }, 'good', en.controls.SUPERSEDED, de.controls.SUPERSEDED],
    ['PAUSE', { step: 'noAnswer' }, 'bad', en.controls.noAnswer, de.controls.noAnswer],
    ['PAUSE', { step: 'connectionLost' }, 'bad', en.controls.connectionLost, de.controls.connectionLost],
    ['PAUSE', { step: 'refused', text: 'Refused: held' }, 'bad', 'Refused: held', 'Refused: held'],
  ])('of %s, %j looks %s and reads “%s”', (name, progress, look, english, german) => {
    expect(commandLook(progress)).toBe(look);
    expect([progressText(en, name, progress), progressText(de, name, progress)]).toEqual([english, german]);
  });

  test.each([
    ['RETURN_HOME', 'Return home', 'Zurückkehren'],
    ['x-siren', 'x-siren', 'x-siren'],
    ['constructor', 'constructor', 'constructor'],
  ])('%s is called %s', (name, english, german) => {
    expect([commandLabel(en, name), commandLabel(de, name)]).toEqual([english, german]);
  });
});
