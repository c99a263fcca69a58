import { createOpenProcesses, type QuestionSpec } from './open-processes.js';
import { type ProcessSpec, type StartedProcess, startProcess } from './process.js';

/** Runs commands, each in its own process or, if the command allows it, in one that stays open. */
export interface Runner {
  start(spec: ProcessSpec): StartedProcess;
  /** Ends the processes that stayed open. */
  close(): void;
}

export function createRunner(): Runner {
  const open = createOpenProcesses();
  return {
    start(spec) {
      const started = isQuestion(spec) ? open.ask(spec) : startProcess(spec);
      return {
        ended: started.ended,
        kill() {
          started.kill();
          // Whoever gives up has no further questions.
          open.closeIdle();
        },
      };
    },
    close: open.close,
  };
}

function isQuestion(spec: ProcessSpec): spec is QuestionSpec {
  return spec.answerEnds !== undefined;
}
