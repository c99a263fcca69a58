export function reservePort(count?: number): Promise<number>;
