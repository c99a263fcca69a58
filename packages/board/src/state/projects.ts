import { api } from '../api.js';

/** The configured projects that this session may see. Needs the scope `release`. */
export async function readProjects(): Promise<readonly string[]> {
  const path = '/api/0/organizations/culprit/projects/';
  const listed = (await api.request({ method: 'GET', path })) as readonly { readonly slug: string }[];
  return listed.map(({ slug }) => slug);
}
