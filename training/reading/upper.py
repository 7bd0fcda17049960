"""Tunes an upper layer of the sentence encoder to whole texts that press their reader (models/text-upper.bin).

Usage: python upper.py FOLDER HANDS [rounds]; FOLDER is what export-texts.ts wrote, with `layer1` of ../techniques/export-layer.ts; HANDS
(joined by commas) are left out and scored, `all` learns from every hand and writes the weights. Needs torch (any CPU build).
"""
import json
import sys
import time

import numpy as np
import torch
from torch import nn

WIDTH, HEADS, FEED = 512, 4, 1536
# Sentences on end that are read of a text in one round, and the share of them that is left out.
MOST, LEFT_OUT = 10, 0.15
TEXTS = 16
SHORT_COUNTS = 0.5
# Without instructions for it, bfloat16 takes ten times as long as floats.
IS_BFLOAT_FAST = 'avx512_bf16' in open('/proc/cpuinfo').read()
torch.set_num_threads(1)


class Upper(nn.Module):
    def __init__(self, lists, dropout=0.2):
        super().__init__()
        get = lambda name, *shape: nn.Parameter(torch.from_numpy(lists[name].reshape(shape).copy()))
        self.attention_norm, self.attention_norm_bias = get('an_s', WIDTH), get('an_b', WIDTH)
        self.attention_in, self.attention_in_bias = get('ai_w', WIDTH, 3 * WIDTH), get('ai_b', 3 * WIDTH)
        self.attention_out, self.attention_out_bias = get('ao_w', WIDTH, WIDTH), get('ao_b', WIDTH)
        self.feed_norm, self.feed_norm_bias = get('fn_s', WIDTH), get('fn_b', WIDTH)
        self.feed_in, self.feed_in_bias = get('fi_w', WIDTH, FEED), get('fi_b', FEED)
        self.feed_out, self.feed_out_bias = get('fo_w', FEED, WIDTH), get('fo_b', WIDTH)
        self.head = nn.Parameter(torch.zeros(WIDTH))
        self.head_bias = nn.Parameter(torch.zeros(1))
        self.drop, self.last = nn.Dropout(dropout), nn.Dropout(0.3)

    def attend(self, parts, lengths):
        """Attention within each sentence; sentences stand in order of length, so that neighbours are padded alike."""
        out, start, first = [], 0, 0
        while first < len(lengths):
            own = [n for n in lengths[first:] if n <= lengths[first] + 4]
            places = torch.zeros(len(own), max(own), dtype=torch.long)
            mask = torch.zeros(len(own), max(own), dtype=torch.bool)
            for row, n in enumerate(own):
                places[row, :n], mask[row, :n] = torch.arange(start, start + n), True
                start += n
            q, k, v = parts[places.view(-1)].view(*places.shape, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
            likeness = (q @ k.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5).masked_fill(~mask[:, None, None, :], -1e9)
            a = torch.softmax(likeness.float(), -1).to(v.dtype) @ v
            out.append(a.transpose(1, 2).reshape(-1, WIDTH)[mask.view(-1)])
            first += len(own)
        return torch.cat(out)

    def forward(self, x, lengths):
        """Means of the vectors of the pieces of each sentence; the last step is linear, so that it is taken of the mean."""
        h = nn.functional.layer_norm(x, (WIDTH,), self.attention_norm, self.attention_norm_bias, 1e-6)
        a = self.attend(torch.addmm(self.attention_in_bias, h, self.attention_in), lengths)
        r = x + self.drop(torch.addmm(self.attention_out_bias, a, self.attention_out))
        h = nn.functional.layer_norm(r, (WIDTH,), self.feed_norm, self.feed_norm_bias, 1e-6)
        h = torch.relu(torch.addmm(self.feed_in_bias, h, self.feed_in))
        sentence = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
        mean = torch.addmm(self.feed_out_bias, self.drop(pooled(h.float(), sentence, len(lengths))), self.feed_out)
        return pooled(r.float(), sentence, len(lengths)) + mean.float()


def pooled(rows, groups, count):
    sizes = torch.zeros(count).index_add(0, groups, torch.ones(len(groups)))
    return torch.zeros(count, rows.shape[1]).index_add(0, groups, rows) / sizes[:, None]


class Texts:
    def __init__(self, folder):
        self.texts = json.load(open(f'{folder}/texts.json'))
        self.states = np.memmap(f'{folder}/lower.f32', dtype=np.float32, mode='r').reshape(-1, WIDTH)
        start = 0
        for text in self.texts:
            counts = np.array(text['counts'], dtype=int)
            starts = start + np.concatenate([[0], np.cumsum(counts)])
            start = int(starts[-1])
            text['places'] = [(int(s), int(n)) for s, n in zip(starts, counts) if n > 0]

    def load(self, texts, random=None):
        chosen = []
        for at, text in enumerate(texts):
            places = text['places']
            if random is not None and len(places) > MOST:
                first = random.integers(0, len(places) - MOST + 1)
                places = places[first:first + MOST]
            if random is not None and len(places) > 3:
                places = [p for p in places if random.random() > LEFT_OUT] or places[:1]
            chosen += [(n, start, at) for start, n in places]
        chosen.sort(key=lambda one: one[0])
        x = np.concatenate([self.states[start:start + n] for n, start, _ in chosen])
        return torch.from_numpy(x), [n for n, _, _ in chosen], torch.tensor([at for _, _, at in chosen])


def train(data, lists, texts, rounds, rate=4e-4, seed=1):
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    model = Upper(lists)
    loud = sum(text['loud'] for text in texts)
    weight = lambda t: (SHORT_COUNTS if t['short'] else 1) * len(texts) / 2 / (loud if t['loud'] else len(texts) - loud)
    head = [model.head, model.head_bias]
    rest = [p for n, p in model.named_parameters() if not n.startswith('head')]
    optimiser = torch.optim.AdamW([{'params': rest, 'lr': rate}, {'params': head, 'lr': 1e-3}], betas=(0.9, 0.98), weight_decay=0.01)
    steps = rounds * (len(texts) // TEXTS)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda s: min(1, (s + 1) / 40) * max(0.0, 1 - s / steps))
    loss_of, started, step = nn.functional.binary_cross_entropy_with_logits, time.time(), 0
    for _ in range(rounds):
        order = random.permutation(len(texts))
        for first in range(0, len(texts) - TEXTS + 1, TEXTS):
            batch = [texts[at] for at in order[first:first + TEXTS]]
            x, lengths, owner = data.load(batch, random)
            model.train()
            with torch.autocast('cpu', dtype=torch.bfloat16, enabled=IS_BFLOAT_FAST):
                vectors = model(x, lengths)
            truth = torch.tensor([float(t['loud']) for t in batch])
            said = model.last(pooled(vectors, owner, len(batch))) @ model.head + model.head_bias
            alone = vectors @ model.head + model.head_bias
            weights = torch.tensor([weight(t) for t in batch])
            loss = (loss_of(said, truth, reduction='none') * weights).mean() + 0.2 * loss_of(alone, truth[owner])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            if step % 100 == 0:
                print(f'step {step} of {steps}, loss {loss.item():.3f}, {time.time() - started:.0f} s', flush=True)
    return model.eval()


def scores(data, model, texts):
    out = []
    with torch.no_grad():
        for first in range(0, len(texts), TEXTS):
            batch = texts[first:first + TEXTS]
            x, lengths, owner = data.load(batch)
            out += (pooled(model(x, lengths), owner, len(batch)) @ model.head + model.head_bias).tolist()
    return np.array(out)


def area(values, yes):
    ranks = np.empty(len(values))
    ranks[np.argsort(values, kind='stable')] = np.arange(1, len(values) + 1)
    n = yes.sum()
    return (ranks[yes].sum() - n * (n + 1) / 2) / (n * (len(yes) - n))


def write(folder, data, model, texts):
    """The weights, and the mean input of each matrix over some texts: what rounding takes from it is given back."""
    lists = {name: p.detach().numpy() for name, p in model.named_parameters()}
    sums, original = {}, torch.addmm
    names = {id(getattr(model, name)): name for name in ('attention_in', 'attention_out', 'feed_in', 'feed_out')}

    def watched(bias, rows, matrix):
        total, count = sums.get(names[id(matrix)], (0, 0))
        sums[names[id(matrix)]] = (total + rows.sum(0).numpy(), count + len(rows))
        return original(bias, rows, matrix)

    torch.addmm = watched
    chosen = np.random.default_rng(3).choice(len(texts), min(200, len(texts)), replace=False)
    scores(data, model, [texts[at] for at in chosen])
    torch.addmm = original
    lists.update({f'{name}_mean': (total / count).astype(np.float32) for name, (total, count) in sums.items()})
    places, start = {}, 0
    with open(f'{folder}/upper.f32', 'wb') as file:
        for name, values in lists.items():
            places[name] = [start, values.size]
            start += values.size
            file.write(np.ascontiguousarray(values, dtype=np.float32).tobytes())
    json.dump(places, open(f'{folder}/upper.json', 'w'))


def main():
    folder, hands = sys.argv[1], sys.argv[2].split(',')
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    data = Texts(folder)
    known = [text for text in data.texts if text['loud'] is not None and text['places']]
    places = json.load(open(f'{folder}/layer1.json'))
    flat = np.fromfile(f'{folder}/layer1.f32', dtype=np.float32)
    lists = {name: flat[start:start + count] for name, (start, count) in places.items()}
    texts = [text for text in known if text['hand'] not in hands]
    model = train(data, lists, texts, rounds)
    if hands == ['all']:
        write(folder, data, model, texts)
        return
    for hand in hands:
        for lang in ('en', 'ro'):
            own = [text for text in known if text['hand'] == hand and text['lang'] == lang]
            print(f'{hand}, {lang}: {len(own)} texts, AUC {area(scores(data, model, own), np.array([t["loud"] for t in own])):.4f}')


if __name__ == '__main__':
    main()
