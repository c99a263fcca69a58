import 'reflect-metadata';
import { inject as injectToken, injectable as tsyringeInjectable } from 'tsyringe';
import type { Port } from '../domain/port.js';

type Class<T = object> = new (...parameters: never[]) => T;
/** What a parameter is found by: a port, or a class of the engine. */
export type Token<T> = Port<T> | Class<T>;

/** The classes of which each engine has one instance. */
export const INJECTABLES: (new () => object)[] = [];

/** A class of the engine: an engine's container makes one instance, with what the constructor names. */
export function injectable() {
  return (one: Class): void => {
    tsyringeInjectable()(one);
    INJECTABLES.push(one as new () => object);
  };
}

type IfTaken<T, By extends Class, At extends number> = T extends ConstructorParameters<By>[At]
  ? unknown
  : never;

/** A parameter of the constructor. Does not compile if the parameter has another type. */
export function inject<T>(token: Token<T>) {
  return <By extends Class, At extends number>(by: By, _: undefined, at: At & IfTaken<T, By, At>): void =>
    injectToken(token as symbol)(by, undefined, at);
}
