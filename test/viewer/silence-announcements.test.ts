import { nextSilence, type SilenceState } from '../../viewer/silence-announcements';

/** From a second on: `old` or `live` figures of a connected page, or `lost` connection. */
type Course = readonly (readonly [second: number, is: 'old' | 'live' | 'lost'])[];

/** What is announced while the course is looked at ten times a second, with the seconds. */
function announcements(course: Course, seconds: number): string[] {
  const found: string[] = [];
  let state: SilenceState = { isAnnounced: false };
  for (let at = 0; at <= seconds * 1000; at += 100) {
    const is = course.findLast(([second]) => second * 1000 <= at)?.[1] ?? 'live';
    const step = nextSilence(state, { at, isConnected: is !== 'lost', isOld: is === 'old' });
    state = step.state;
    if (step.announce) found.push(`${step.announce} ${at / 1000}`);
  }
  return found;
}

/** A device whose reports are so many seconds apart: figures are old five seconds after each. */
const reporting = (every: number): Course =>
  Array.from({ length: 100 }, (_, report) => [
    [report * every, 'live'] as const,
    [report * every + 5, 'old'] as const,
  ]).flat();

test.each<[string, Course, string[]]>([
  ['nothing while it flies', [[0, 'live']], []],
  ['silence once, after ten seconds', [[20, 'old']], ['silence 30']],
  ['nothing of a device that reports every 6 seconds', reporting(6), []],
  ['nothing of a device that reports every 12 seconds', reporting(12), []],
  [
    'silence and its end once',
    [
      [20, 'old'],
      [50, 'live'],
    ],
    ['silence 30', 'end 50'],
  ],
  [
    'no end of what was not announced',
    [
      [20, 'old'],
      [29, 'live'],
    ],
    [],
  ],
  [
    'silence at most once a minute',
    [
      [20, 'old'],
      [40, 'live'],
      [50, 'old'],
      [70, 'live'],
      [75, 'old'],
      [120, 'live'],
    ],
    ['silence 30', 'end 40', 'silence 90', 'end 120'],
  ],
  [
    'nothing while it is not connected',
    [
      [20, 'old'],
      [25, 'lost'],
    ],
    [],
  ],
  [
    'no end when the connection was lost before it',
    [
      [20, 'old'],
      [40, 'lost'],
      [50, 'live'],
    ],
    ['silence 30'],
  ],
  [
    'silence that goes on after a lost connection',
    [
      [20, 'old'],
      [40, 'lost'],
      [100, 'old'],
    ],
    ['silence 30', 'silence 110'],
  ],
])('announces %s', (_, course, expected) => expect(announcements(course, 300)).toEqual(expected));
