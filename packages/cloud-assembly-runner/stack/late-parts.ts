/** What an assembly may lack at first: the code of functions, and files that the stack serves. */
export const lateParts = ['code', 'files'] as const;
export type LatePart = (typeof lateParts)[number];
