// Readers in a separate process, so that they do not delay the gates. Controlled by messages.
import { openReader } from './reader.mjs';

const [port, token] = [Number(process.argv[2]), process.argv[3]];
const AT_ONCE = 200;
let readers = [];

const orders = {
  async cursor() {
    const reader = openReader(port, token);
    const { epoch, sequence } = JSON.parse(await reader.heard);
    reader.cut();
    return { epoch, sequence };
  },
  /** Opens readers in groups and waits for their first message. */
  async open({ count, since }) {
    for (let n = 0; n < count; n += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, count - n) }, () => openReader(port, token, since));
      await Promise.all(some.map(({ heard }) => heard));
      readers.push(...some);
    }
  },
  /** Opens all readers at once. */
  async storm({ count, since }) {
    const start = performance.now();
    readers = Array.from({ length: count }, () => openReader(port, token, since));
    const heard = await Promise.all(
      readers.map((one) => Promise.race([one.heard.then(() => true), one.ended.then(() => false)])),
    );
    return { ms: Math.round(performance.now() - start), lost: heard.filter((one) => !one).length };
  },
  async pause() {
    for (const reader of readers) reader.pause();
  },
  async resume() {
    for (const reader of readers) reader.resume();
  },
  /** The close code of each reader, or `open` after a time limit. */
  async codes({ withinMs }) {
    const patience = new Promise((resolve) => setTimeout(resolve, withinMs, 'open'));
    return { codes: await Promise.all(readers.map(({ ended }) => Promise.race([ended, patience]))) };
  },
  async cut() {
    for (const reader of readers) reader.cut();
    await Promise.all(readers.map(({ ended }) => ended));
    readers = [];
  },
};

process.once('disconnect', () => process.exit(0));
process.on('message', async ({ id, order, ...how }) => {
  process.send({ id, ...(await orders[order](how)) });
});
process.send({});
