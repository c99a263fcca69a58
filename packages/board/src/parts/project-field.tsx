import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { readProjects } from '../state/projects.js';
import { report } from '../state/session.js';
import { type FormProblem, SelectField } from './field.js';

interface ProjectFieldProps {
  readonly form: string;
  readonly problem: FormProblem | null;
  /** Becomes the first project if it names none. */
  readonly text: Signal<string>;
}

/** Chooses one of the projects that this session may see. */
export function ProjectField({ form, problem, text }: ProjectFieldProps) {
  const projects = useSignal<readonly string[]>(text.value === '' ? [] : [text.value]);
  useEffect(() => {
    readProjects().then((names) => {
      projects.value = names;
      if (!names.includes(text.value)) text.value = names[0] ?? '';
    }, report);
  }, []);
  return (
    <SelectField
      form={form}
      problem={problem}
      name="project"
      label="Project"
      text={text}
      values={projects.value}
    />
  );
}
