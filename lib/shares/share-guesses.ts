import { Construct } from 'constructs';
import type { ApiFunction } from '../functions/api-function';
import { LogMetric } from '../observability/log-metric';
import { defineAlarm, period } from '../observability/alarm-definition';

/** Per five minutes: more than partners and viewers with old links cause. */
const MAX_REFUSED = 100;

export interface ShareGuessesProps {
  /** All functions that receive share codes. */
  readonly functions: readonly ApiFunction[];
}

/** Alarm on guessed share codes. Each refusal costs a read and is counted; no log contains the code. */
export class ShareGuesses extends Construct {
  constructor(scope: Construct, id: string, { functions }: ShareGuessesProps) {
    super(scope, id);
    const refused = new LogMetric(this, 'Refused', {
      in: functions,
      as: 'ShareCodesRefused',
      reasons: ['share_not_found'],
    });
    defineAlarm(this, {
      name: 'ShareCodesRefused',
      group: 'calls',
      impact: 'Someone guesses share codes: a code that is found would show what partners have shared',
      metric: refused.metric('share_not_found', { period }),
      threshold: MAX_REFUSED,
    });
  }
}
