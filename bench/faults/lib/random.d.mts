export const seed: number;
export const isFull: boolean;
export function randomOf(from: number): () => number;
export function random(): number;
export function randomBetween(from: number, to: number): number;
