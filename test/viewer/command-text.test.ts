import { commandLabel, commandLook, progressText, type CommandProgress } from '../../viewer/command-text';
import { de } from '../../viewer/texts/de';
import { en } from '../../viewer/texts/en';

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
