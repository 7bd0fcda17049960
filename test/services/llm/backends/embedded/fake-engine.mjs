// Speaks the protocol of an engine without any model: the prompt says what to do.
const running = new Map();
const report = (message) => process.send(message);
let holds = false;

const deeds = {
  say: (id) => {
    report({ type: 'started', id, promptTokens: 3 });
    for (const text of ['a', 'b', 'c']) report({ type: 'text', id, text, thought: false });
    report({ type: 'ended', id, finish: 'stop', completionTokens: 3, calls: [] });
  },
  think: (id) => {
    report({ type: 'started', id, promptTokens: 3 });
    report({ type: 'text', id, text: 'hm', thought: true });
    report({ type: 'text', id, text: 'yes', thought: false });
    report({ type: 'ended', id, finish: 'stop', completionTokens: 2, calls: [] });
  },
  hold: (id) => {
    report({ type: 'started', id, promptTokens: 3 });
    report({ type: 'text', id, text: 'a', thought: false });
    running.set(id, () => report({ type: 'ended', id, finish: 'stop', completionTokens: 1 }));
  },
  hang: (id) => {
    report({ type: 'text', id, text: 'a', thought: false });
  },
  count: (id) => {
    report({ type: 'text', id, text: String(running.size), thought: false });
    report({ type: 'ended', id, finish: 'stop', completionTokens: 1, calls: [] });
  },
  keys: (id) => {
    report({ type: 'text', id, text: Object.keys(process.env).join(' '), thought: false });
    report({ type: 'ended', id, finish: 'stop', completionTokens: 1, calls: [] });
  },
  crash: (id) => {
    report({ type: 'started', id, promptTokens: 3 });
    report({ type: 'text', id, text: 'a', thought: false });
    process.stderr.write('GGML_ASSERT failed\n', () => process.exit(134));
  },
  fall: () => process.exit(134),
  call: (id) => {
    report({ type: 'started', id, promptTokens: 3 });
    const calls = [{ name: 'weather', arguments: '{"city":"Iași"}' }];
    report({ type: 'ended', id, finish: 'tool_calls', completionTokens: 5, calls });
  },
  fault: (id) => report({ type: 'failed', id, invalid: true, message: 'too long' }),
};

process.on('message', (order) => {
  if (order.type === 'load') {
    if (order.file.includes('broken')) report({ type: 'refused', message: 'not a model' });
    else if (order.file.includes('slow')) holds = true;
    else report({ type: 'loaded', context: order.context });
  } else if (order.type === 'run') {
    const { prompt, turns } = order.job;
    deeds[prompt ?? turns.at(-1).text](order.id);
  } else {
    running.get(order.id)?.();
    running.delete(order.id);
  }
});
process.on('disconnect', () => process.exit());
// A model that takes its time keeps the process alive all the same.
setInterval(() => holds, 60_000);
