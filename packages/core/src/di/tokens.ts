import type { InjectionToken } from 'tsyringe';
import type { GateOne } from '../gates/gate-one.js';
import type { GateTwo } from '../gates/gate-two.js';
import type { Reader } from '../gates/reader.js';
import type { Recovery } from '../gates/recovery.js';
import type { Intake } from '../pipeline/intake.js';
import type { IssueStates } from '../pipeline/issue-states.js';
import type { Notifications } from '../pipeline/notify.js';
import type { Publishing } from '../pipeline/publish.js';

export const NOTIFICATIONS: InjectionToken<Notifications> = Symbol('Notifications');
export const ISSUE_STATES: InjectionToken<IssueStates> = Symbol('IssueStates');
export const INTAKE: InjectionToken<Intake> = Symbol('Intake');
export const PUBLISHING: InjectionToken<Publishing> = Symbol('Publishing');
export const GATE_ONE: InjectionToken<GateOne> = Symbol('GateOne');
export const GATE_TWO: InjectionToken<GateTwo> = Symbol('GateTwo');
export const READER: InjectionToken<Reader> = Symbol('Reader');
export const RECOVERY: InjectionToken<Recovery> = Symbol('Recovery');
