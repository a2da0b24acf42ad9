import { Construct } from 'constructs';
import type { ApiFunction } from '../functions/api-function';
import { defineAlarm } from '../functions/alarm-definitions';
import { countRefusals } from '../functions/error-alarm';

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
    defineAlarm(this, {
      name: 'ShareCodesRefused',
      // A code has 130 random bits: no night of guessing finds one.
      urgency: 'ticket',
      group: 'calls',
      impact: 'Someone guesses share codes, to see what partners share',
      metric: countRefusals(this, functions, 'share_not_found'),
      threshold: MAX_REFUSED,
    });
  }
}
