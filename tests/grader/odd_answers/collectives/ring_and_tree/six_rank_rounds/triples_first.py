# Right: rings of three first, with thirds of the vector, then pairs share what each third's owner has.
def six_rank_rounds(*, length):
    third, sixth = length // 3, length // 6

    def ring(step, adds):
        messages = []
        for rank in range(6):
            group, place = rank // 3, rank % 3
            chunk = (place - step - (1 if adds else 0)) % 3
            messages.append((rank, 3 * group + (place + 1) % 3, chunk * third, (chunk + 1) * third, adds))
        return messages

    def pairs(adds):
        messages = []
        for rank in range(6):
            start = rank % 3 * third
            lower = (rank < 3) != adds
            low = start if lower else start + sixth
            messages.append((rank, (rank + 3) % 6, low, low + sixth, adds))
        return messages

    return [ring(0, True), ring(1, True), pairs(True), pairs(False), ring(0, False), ring(1, False)]
