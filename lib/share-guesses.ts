import { Construct } from 'constructs';
import type { ApiFunction } from './api-function';
import { Counted } from './counted';
import { period, type Watched } from './watched';

/** More within five minutes than partners and viewers with old links bring about. */
const MANY = 100;

export interface ShareGuessesProps {
  /** All functions that are given share codes by others. */
  readonly functions: readonly ApiFunction[];
}

/** Somebody who tries share codes: each refusal costs a read and is counted, and no log has the code. */
export class ShareGuesses extends Construct {
  readonly watched: Watched;

  constructor(scope: Construct, id: string, { functions }: ShareGuessesProps) {
    super(scope, id);
    const refused = new Counted(this, 'Refused', {
      in: functions,
      as: 'ShareCodesRefused',
      reasons: ['share_not_found'],
    });
    this.watched = {
      name: 'ShareCodesRefused',
      group: 'calls',
      suffering: 'Somebody tries share codes: one that is found would show what partners have shared',
      metric: refused.metric('share_not_found', { period }),
      threshold: MANY,
    };
  }
}
