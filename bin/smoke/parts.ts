/** Parts that can be skipped: `scopes` needs a second client, the others a feature of the deployment. */
export const parts = ['mqtt', 'wss', 'scopes', 'limits'] as const;

export type Part = (typeof parts)[number];

export const isPart = (word: string): word is Part => (parts as readonly string[]).includes(word);
