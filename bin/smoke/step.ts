import type { Story } from './story';

/** What of the story can be left out: `scopes` needs a second client, the others something of the deployment. */
export const parts = ['mqtt', 'wss', 'scopes', 'limits'] as const;

export type Part = (typeof parts)[number];

export const isPart = (word: string): word is Part => (parts as readonly string[]).includes(word);

/** One thing that a partner does, and what has to come of it. */
export interface Step {
  readonly name: string;
  /** Left out with `--without`. */
  readonly part?: Part;
  /**
   * @returns what is worth a word when it worked
   * @throws Unexpected when something else came of it, Missing when an earlier step did not give what it needs
   */
  readonly run: (story: Story) => Promise<string | undefined>;
}
